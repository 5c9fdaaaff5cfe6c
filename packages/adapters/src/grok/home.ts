/** As `expandPath` reads it. */
export const GROK_HOME = '{GROK_HOME:-~/.grok}';
