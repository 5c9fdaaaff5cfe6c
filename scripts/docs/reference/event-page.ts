/** Every event: what it means, what it has, an example. */
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

Everything that a run tells is one of these, whatever the agent: over \`for await (const event of run)\`, by
\`run.on(type, listener)\`, and as a line of \`amux run --json\` ([JSON Schema](../json/run.schema.json)).

The order holds for every agent: \`session_start\` is first and \`session_end\` last; turns do not overlap; every message, thought and
tool call is opened and closed exactly once; after \`crash\`, \`timeout\` and \`aborted\` only \`session_end\`, \`debug\` and \`log\` follow. A
release may add events and fields: pass over what you do not know.

| | |
|---|---|
${index.join('\n')}

## The envelope
Every event has these fields beside its own. The examples below leave them out.

${fieldTable(membersOf(types, EVENTS, 'EventEnvelope'))}

${codeBlock(JSON.stringify({ ...EVENT_EXAMPLES.text_delta, ...envelope }), 'json')}

\`parentToolCallId\`, where an event has one: it belongs to the subagent that this tool call has started. \`kind\` is on every event of a
tool and on every approval; here it is optional because a decoder may leave it to the engine.

${groups
  .map(
    (group) =>
      `## ${group}\n${events
        .filter((each) => each.group === group)
        .map(event)
        .join('\n\n')}`,
  )
  .join('\n\n')}

## What they are made of
${codeBlock([...NAMED.map((name) => writtenType(types, EVENTS, name)), toolKinds(types)].join('\n\n'))}
`;
}

/** As the source has them: a line for each group, a comment above each event. */
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

/** On one line where it fits. */
function exampleText(event: EventBody): string {
  const whole = JSON.stringify(event, null, 2);
  const line = whole.replace(/\s*\n\s*/g, ' ');
  return line.length <= 120 ? line : whole;
}

function isEventType(type: string | undefined): type is EventType {
  return type !== undefined && Object.hasOwn(EVENT_EXAMPLES, type);
}

/** The words with their comments, which stand in a list of values. */
function toolKinds(types: Types): string {
  const list = /TOOL_KINDS = (\[[\s\S]*?\]) as const/.exec(types.text(KINDS))?.[1];
  return `/** One of these. */\ntype ToolKind: ${list}`;
}
