"""The app: ``streamlit run app.py``. One question a page; the pages are in ``pages/``."""

from __future__ import annotations

import streamlit as st

# No icons: a page's icon becomes the favicon, which Streamlit would fetch from a font server.
st.navigation(
    [
        st.Page("pages/race.py", title="Race", default=True),
        st.Page("pages/learn.py", title="Learn"),
        st.Page("pages/jacobi.py", title="Jacobi"),
        st.Page("pages/window.py", title="Window"),
        st.Page("pages/mask.py", title="Mask"),
        st.Page("pages/candidates.py", title="Candidates"),
        st.Page("pages/acceptance.py", title="Acceptance"),
        st.Page("pages/pool.py", title="Pool"),
        st.Page("pages/mask-lab.py", title="Mask lab", url_path="mask-lab"),
        st.Page("pages/scale.py", title="Scale"),
    ]
).run()
