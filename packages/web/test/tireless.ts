import type { Scripts } from './open-dashboard.ts';

/** Rounds of six events each. */
const ROUNDS = 16_700;
export const LAST_WORD = 'The last word.';

const event = (body: object) => ({ do: 'event', event: body });
const tool = { toolCallId: 'call-{{i}}', toolName: 'read_file' };
const round = [
  event({ type: 'text_delta', delta: 'Step {{i}} ' }),
  event({ type: 'text_delta', delta: 'is **done**.' }),
  event({ type: 'message_stop' }),
  event({ type: 'tool_call_start', ...tool }),
  event({ type: 'tool_call_ready', ...tool, input: { path: 'src/file-{{i}}.ts' } }),
  event({ type: 'tool_result', ...tool, output: 'line {{i}} of a file' }),
];

/** An agent whose only turn has more than 100,000 events: text and tool calls. */
export const TIRELESS: Scripts = {
  tireless: [
    [
      event({ type: 'text_delta', delta: 'The first word.' }),
      event({ type: 'message_stop' }),
      { do: 'repeat', times: ROUNDS, steps: round },
      event({ type: 'text_delta', delta: LAST_WORD }),
      event({ type: 'turn_end', status: 'completed' }),
    ],
  ],
};
