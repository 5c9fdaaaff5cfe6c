/** As `expandPath` reads it. */
export const KIMI_HOME = '{KIMI_CODE_HOME:-~/.kimi-code}';
