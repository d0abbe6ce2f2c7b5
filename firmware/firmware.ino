// The reader's program is in src/: this file is only here because Arduino's tools look for one of the folder's name.
