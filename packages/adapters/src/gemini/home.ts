export const GEMINI_HOME = '{GEMINI_CLI_HOME:-~}/.gemini';
