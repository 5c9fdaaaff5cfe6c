/**
 * What a mode of an agent does not report, or does otherwise than its capabilities let a caller expect. Facts of the CLI that an
 * adapter cannot make up for: declared by the mode, and said in a `debug` warning when they matter in a run.
 */
export const LIMITATIONS = {
  'tool-output-hidden': 'the agent does not report what its tools print',
  'tool-failure-hidden': 'the agent reports a command that failed as if it had succeeded',
  'interrupted-turn-forgotten':
    'the agent drops an interrupted turn from its conversation: the next turn does not see it',
} as const satisfies Readonly<Record<string, string>>;

export type Limitation = keyof typeof LIMITATIONS;
