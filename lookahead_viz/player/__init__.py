"""The client-side stepper: plain JavaScript over one compact payload, and its one-file export."""
