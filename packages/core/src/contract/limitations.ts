/**
 * What a mode does not report, or does differently than its capabilities suggest. These are facts of the CLI that an
 * adapter cannot work around; the mode declares them, and a `debug` warning mentions them when they matter in a run.
 */
export const LIMITATIONS = {
  'tool-output-hidden': 'the agent does not report what its tools print',
  'tool-failure-hidden': 'the agent reports a command that failed as if it had succeeded',
  'interrupted-turn-forgotten':
    'the agent drops an interrupted turn from its conversation: the next turn does not see it',
} as const satisfies Readonly<Record<string, string>>;

export type Limitation = keyof typeof LIMITATIONS;
