export const CONFIG_HOME = '{QWEN_HOME:-~/.qwen}';
