"""What several probes share: classifiers, captions, objects, groups, shift pairs."""
