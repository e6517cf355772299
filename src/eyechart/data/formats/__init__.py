"""Readers of file formats: folders, tables, Parquet, WebDataset, Hugging Face datasets."""
