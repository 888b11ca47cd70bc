/** The schema of this reader; a newer minor version only adds what may be ignored. */
export const SCHEMA_MAJOR = 1;
export const SCHEMA_MINOR = 12;
