/** In the notation of `expandPath`: files of the user, and state of Cline itself. */
export const CLINE_HOME = '{CLINE_DIR:-~/.cline}';
export const CLINE_DATA = '{CLINE_DATA_DIR:-~/.cline/data}';
