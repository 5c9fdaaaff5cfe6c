/** In the notation of `expandPath`: what people put there, and what Cline itself keeps. */
export const CLINE_HOME = '{CLINE_DIR:-~/.cline}';
export const CLINE_DATA = '{CLINE_DATA_DIR:-~/.cline/data}';
