"""The camera: where frames come from, the thread that reads them, and what is reported of them."""
