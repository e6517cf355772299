"""The workbench: a local web app that recomputes from cached vectors. What it shows equals what the probes compute."""
