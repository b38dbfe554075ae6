"""The twenty fixed prompts, chosen before any of their continuations was seen."""

CODE = (
    "def fibonacci(n):\n",
    "class Stack:\n    def __init__(self):\n",
    "import os\nimport sys\n",
    "for i in range(10):\n",
    'def read_file(path):\n    """Read',
    "try:\n    value = int(text)\nexcept ValueError:\n",
    'if __name__ == "__main__":\n',
    "class TestCase(unittest.TestCase):\n    def test_",
    "def parse_args(argv):\n    parser = argparse.ArgumentParser(",
    "while True:\n    line = file.readline()\n",
    "async def main():\n",
    "    def __repr__(self):\n        return",
)

PROSE = (
    "Once upon a time",
    "The following example shows how to",
    "This module provides",
    "One day, a little fox",
    "Python is a programming language that",
    "Changed in version 3.8:",
    ".. function:: open(file, mode='r')\n\n   ",
    "In the morning, the old farmer",
)

PROMPTS = CODE + PROSE
