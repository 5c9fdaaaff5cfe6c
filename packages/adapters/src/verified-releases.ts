/**
 * Verified releases of each CLI, the oldest first (`minVersion`). Written by `npm run docs` from docs/verifications.json.
 */
export const VERIFIED_RELEASES = {
  claude: ['2.1.280', '2.1.325'],
  cline: ['3.0.64', '3.0.65'],
  codex: ['0.155.1', '0.166.0'],
  continue: ['1.5.45', '1.5.47'],
  copilot: ['1.0.102'],
  droid: ['0.215.0'],
  gemini: ['0.55.1', '0.61.0'],
  goose: ['1.34.0'],
  grok: ['1.0.41'],
  kilo: ['7.7.7'],
  kimi: ['2.0.2', '2.1.0'],
  omp: ['18.2.3'],
  openclaw: ['2026.9.6'],
  opencode: ['1.18.21', '1.18.33'],
  'opencode-http': ['1.18.21', '1.18.33'],
  pi: ['0.87.0', '0.87.1'],
  qwen: ['0.21.10', '0.24.4'],
} as const;
