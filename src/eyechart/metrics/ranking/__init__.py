"""AUROC, AUPR, FPR95, retrieval ranks and OOD scores."""
