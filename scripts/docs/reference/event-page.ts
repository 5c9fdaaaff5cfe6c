/** Every event: meaning, fields, example. */
import type { EventBody, EventType } from '@agent-mux/core';
import type { Types } from '../compiler.ts';
import { EVENT_EXAMPLES } from '../examples/events.ts';
import { membersOf, writtenType } from './declarations.ts';
import { codeBlock, fieldTable, MADE } from './markdown.ts';

const EVENTS = 'packages/core/src/contract/events.ts';
const KINDS = 'packages/core/src/contract/tool-kinds.ts';
const NAMED = [
  'TokenUsage',
  'TurnStatus',
  'ApprovalOption',
  'SummaryLine',
  'Question',
  'QuestionOption',
  'PlanEntry',
  'RateLimitWindow',
];

interface Declared {
  type: EventType;
  group: string;
  comment: string;
  written: string;
}

export function eventsPage(types: Types): string {
  const events = declaredEvents(types);
  const groups = [...new Set(events.map(({ group }) => group))];
  const index = groups.map((group) => {
    const links = events.filter((event) => event.group === group).map(({ type }) => `[\`${type}\`](#${type})`);
    return `| ${group} | ${links.join(', ')} |`;
  });
  const event = ({ type, comment, written }: Declared) =>
    [`### ${type}`, comment, codeBlock(written), codeBlock(exampleText(EVENT_EXAMPLES[type]), 'json')].join('\n');
  const envelope = {
    agent: 'demo',
    runId: '5f0c',
    sessionId: '0b1f7c1e',
    turnIndex: 0,
    seq: 18,
    timestamp: 1794852120209,
  };
  return `# Events

${MADE}

Every run emits these events, whatever the agent: through \`for await (const event of run)\`,
\`run.on(type, listener)\`, and as lines of \`amux run --json\` ([JSON Schema](../json/run.schema.json)).

The order is the same for every agent: \`session_start\` is first and \`session_end\` last; turns do not overlap; every
message, thinking block and tool call is opened and closed exactly once; after \`crash\`, \`timeout\` and \`aborted\` only
\`session_end\`, \`debug\` and \`log\` follow. A release may add events and fields: ignore unknown ones.

\`sessionId\` in events is the agent's own session id.

| Group | Events |
|---|---|
${index.join('\n')}

## The envelope
Every event also has these fields. The examples below omit them.

${fieldTable(membersOf(types, EVENTS, 'EventEnvelope'))}

${codeBlock(JSON.stringify({ ...EVENT_EXAMPLES.text_delta, ...envelope }), 'json')}

An event with \`parentToolCallId\` belongs to the subagent that this tool call started. \`kind\` is on every tool event and
approval; it is optional here because a decoder may leave it to the engine.

${groups
  .map(
    (group) =>
      `## ${group}\n${events
        .filter((each) => each.group === group)
        .map(event)
        .join('\n\n')}`,
  )
  .join('\n\n')}

## Shared types
${codeBlock([...NAMED.map((name) => writtenType(types, EVENTS, name)), toolKinds(types)].join('\n\n'))}
`;
}

/** Events as declared in the source: a line comment per group, a doc comment per event. */
function declaredEvents(types: Types): Declared[] {
  const found: Declared[] = [];
  let group = '';
  const text = writtenType(types, EVENTS, 'EventBody')
    .replace(/^type EventBody =\n/, '')
    .replace(/;$/, '');
  for (const [, heading, comment = '', written = ''] of text.matchAll(
    /^ {2}\/\/ (.+)$|^ {2}\/\*\* (.*) \*\/\n {2}\| (\{[^\n]*\}$|\{\n[\s\S]*?^ {4}\})/gm,
  )) {
    if (heading) group = heading.split('.')[0] ?? heading;
    else {
      const type = /type: '(\w+)'/.exec(written)?.[1];
      if (!isEventType(type)) throw new Error(`no example for the event: ${written}`);
      found.push({ type, group, comment, written: written.replace(/^ {4}/gm, '') });
    }
  }
  const missing = Object.keys(EVENT_EXAMPLES).filter((type) => !found.some((event) => event.type === type));
  if (missing.length > 0) throw new Error(`${EVENTS}: no comment above ${missing.join(', ')}`);
  return found;
}

/** On one line if it fits. */
function exampleText(event: EventBody): string {
  const whole = JSON.stringify(event, null, 2);
  const line = whole.replace(/\s*\n\s*/g, ' ');
  return line.length <= 120 ? line : whole;
}

function isEventType(type: string | undefined): type is EventType {
  return type !== undefined && Object.hasOwn(EVENT_EXAMPLES, type);
}

/** The tool kinds with their comments. */
function toolKinds(types: Types): string {
  const list = /TOOL_KINDS = (\[[\s\S]*?\]) as const/.exec(types.text(KINDS))?.[1];
  return `/** One of these. */\ntype ToolKind: ${list}`;
}
