import type { Scripts } from './open-dashboard.ts';

/** A PNG of one pixel. */
export const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
/** Text that appears only in collapsed items. */
export const HIDDEN = {
  thought: 'a walrus in a thought',
  output: 'a walrus in an output',
  nested: 'a walrus deep within',
} as const;

const event = (body: object) => ({ do: 'event', event: body });

function say(delta: string, within: object = {}): object[] {
  return [event({ type: 'text_delta', delta, ...within }), event({ type: 'message_stop', ...within })];
}

function think(delta: string, within: object = {}): object[] {
  return [
    event({ type: 'thinking_start', ...within }),
    event({ type: 'thinking_delta', delta, ...within }),
    event({ type: 'thinking_stop', ...within }),
  ];
}

interface Call {
  id: string;
  name: string;
  kind: string;
  input: object;
  /** Undefined: the call does not end. */
  output?: string;
  /** Events while the call runs. */
  steps?: readonly object[];
  within?: object;
}

function call({ id, name, kind, input, output, steps = [], within = {} }: Call): object[] {
  const of = { toolCallId: id, toolName: name, kind, ...within };
  return [
    event({ type: 'tool_call_start', ...of }),
    event({ type: 'tool_call_ready', ...of, input }),
    ...steps,
    ...(output === undefined ? [] : [event({ type: 'tool_result', ...of, output })]),
  ];
}

/** A subagent and its events. */
function subagent(
  id: string,
  { name, steps, within = {} }: { name: string; steps: readonly object[]; within?: object },
): object[] {
  return call({
    ...{ id, name: 'Task', kind: 'other', within, output: `${name} is done` },
    input: { description: name, prompt: `Be the ${name}` },
    steps: [
      event({ type: 'subagent_start', subagentId: `${id}-agent`, toolCallId: id, name, prompt: `Be the ${name}` }),
      ...steps,
      event({ type: 'subagent_end', subagentId: `${id}-agent`, toolCallId: id, status: 'completed', summary: 'Read.' }),
    ],
  });
}

const DIFF = ['@@ -1,3 +1,3 @@', ' export const one = 1;', '-export const two = 1;', '+export const two = 2;', ''].join(
  '\n',
);

/** Every kind of item that a conversation can show. */
const TURN: object[] = [
  ...think(`Where do I start? There is ${HIDDEN.thought}.`),
  event({
    type: 'plan_update',
    entries: [
      { content: 'Read the sources', status: 'completed' },
      { content: 'Fix the second page', status: 'in_progress' },
      { content: 'Run the tests', status: 'pending' },
    ],
  }),
  ...say('I start with **the sources**:\n\n| page | first |\n|---|---|\n| 1 | 20 |\n\n```ts\nconst two = 2;\n```'),
  ...call({
    id: 'c1',
    name: 'Grep',
    kind: 'search',
    input: { pattern: 'two' },
    output: `src/two.ts\n${HIDDEN.output}`,
  }),
  ...call({
    ...{ id: 'c2', name: 'Edit', kind: 'edit', input: { file_path: 'src/two.ts' }, output: 'changed' },
    steps: [event({ type: 'file_change', path: 'src/two.ts', change: 'update', diff: DIFF, toolCallId: 'c2' })],
  }),
  ...subagent('c3', {
    name: 'reader',
    steps: [
      ...say('I read on behalf of the other.', { parentToolCallId: 'c3' }),
      ...subagent('c4', {
        name: 'reader of the reader',
        within: { parentToolCallId: 'c3' },
        steps: [
          ...think(`Deeper: ${HIDDEN.nested}.`, { parentToolCallId: 'c4' }),
          ...call({
            ...{ id: 'c5', name: 'Read', kind: 'read', within: { parentToolCallId: 'c4' } },
            ...{ input: { file_path: 'README.md' }, output: 'A readme.' },
          }),
        ],
      }),
    ],
  }),
  ...call({
    ...{ id: 'c6', name: 'Bash', kind: 'execute', input: { command: 'npm run build' } },
    output: Array.from({ length: 400 }, (_, at) => `line ${at} of what the build prints`).join('\n'),
  }),
  event({ type: 'tool_call_start', toolCallId: 'c7', toolName: 'Bash', kind: 'execute' }),
  event({ type: 'tool_call_ready', toolCallId: 'c7', toolName: 'Bash', kind: 'execute', input: { command: 'false' } }),
  event({ type: 'tool_error', toolCallId: 'c7', toolName: 'Bash', kind: 'execute', error: 'it ended with code 1' }),
  event({ type: 'image_output', mimeType: 'image/png', base64: DOT }),
  event({ type: 'error', code: 'PROTOCOL_ERROR', message: 'a line could not be read', recoverable: true }),
  ...say('May I ask something?'),
];

const QUESTION = {
  do: 'ask',
  event: {
    type: 'input_required',
    requestId: 'q-{{n}}',
    questions: [
      {
        id: 'which',
        question: 'Which page comes first?',
        options: [
          { id: 'a', label: 'The first', description: 'as people count' },
          { id: 'b', label: 'The zeroth' },
        ],
        multiple: false,
      },
    ],
  },
};

const APPROVAL = {
  do: 'ask',
  event: {
    type: 'approval_request',
    requestId: 'r-{{n}}',
    toolName: 'Bash',
    kind: 'execute',
    title: 'Run npm test',
    input: { command: 'npm test', timeout: '120 s' },
    options: [
      { id: 'once', label: 'Allow', kind: 'allow_once' },
      { id: 'always', label: 'Allow in this session', kind: 'allow_always' },
      { id: 'no', label: 'Deny', kind: 'deny_once' },
    ],
  },
};

const END = event({ type: 'turn_end', status: 'completed' });

/** `everything` ends its turn; the others need an answer. */
export const EVERYTHING: Scripts = {
  everything: [[...TURN, END]],
  asking: [[...TURN, QUESTION, END]],
  approving: [[...TURN, APPROVAL, END]],
};
