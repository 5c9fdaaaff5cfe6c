import { dirname, join } from 'node:path';
import {
  readJsonLines,
  type SessionContent,
  type SessionLines,
  type SessionStore,
  sessionFiles,
  sumUsage,
  type TokenUsage,
  Transcript,
} from '@agent-mux/core';
import { isoTime, type Json, record, records, text, word } from '../shared/json.ts';
import { plainTokenUsage } from '../shared/usage.ts';
import { exitCodeOf } from './events.ts';
import { COPILOT_HOME } from './home.ts';

const ROOT = `${COPILOT_HOME}/session-state`;

/** A folder for each session. A deleted one disappears from the list over ACP too (1.0.102). */
const EVENTS = sessionFiles({
  agent: 'copilot',
  root: ROOT,
  accepts: (path) => /^[^/]+\/events\.jsonl$/.test(path),
  hasLines: () => true,
  parse: (text: SessionLines) => parseEvents(text),
  belongings: (path) => [dirname(path)],
});

/** Stored next to the events, for its title. */
const WORKSPACE = sessionFiles({
  agent: 'copilot',
  root: ROOT,
  accepts: () => false,
  parse: (text) => ({ sessionId: '', title: titleIn(text), messages: [] }),
});

export const SESSION_STORE: SessionStore = {
  ...EVENTS,
  async read(ref, how) {
    const session = await EVENTS.read(ref, how);
    const path = join(dirname(ref.path), 'workspace.yaml');
    const { title } = await WORKSPACE.read({ path, stamp: '' }).catch(() => session);
    return title === undefined ? session : { ...session, title };
  },
};

/** The `name` of workspace.yaml: the title of the user, or else the first prompt. Multi-line values are ignored. */
export function titleIn(yaml: string): string | undefined {
  const name = /^name: (.+)$/m.exec(yaml)?.[1]?.trim();
  if (name === undefined || /^[|>]/.test(name)) return undefined;
  if (!name.startsWith('"')) return name.replace(/^'(.*)'$/, (_, quoted: string) => quoted.replaceAll("''", "'"));
  try {
    return word(JSON.parse(name));
  } catch {
    return undefined;
  }
}

/** Usage since the last answer: of the model itself, and of subagents. */
interface Reading {
  transcript: Transcript;
  spent: TokenUsage[];
}

/**
 * events.jsonl: the persisted events of the run. The records `system.message` and `model.*` hold the vendor prompt,
 * `transformedContent` what it puts before the user's. Records with an `agentId` are between subagents.
 */
export function parseEvents(content: SessionLines): SessionContent | null {
  const { records: lines, warnings } = readJsonLines(content);
  const start = lines.find(({ type }) => type === 'session.start');
  const data = record(start?.data);
  const sessionId = word(data.sessionId);
  if (sessionId === undefined) return null;
  const reading: Reading = { transcript: new Transcript(), spent: [] };
  for (const line of lines) addLine(reading, line);
  const { transcript, spent } = reading;
  const times = lines.map(({ timestamp }) => isoTime(timestamp)).filter((time) => time !== undefined);
  const models = transcript.messages.map(({ model }) => model).filter((model) => model !== undefined);
  return {
    sessionId,
    cwd: word(record(data.context).cwd),
    model: models.at(-1) ?? word(data.selectedModel),
    createdAt: isoTime(data.startTime) ?? times[0],
    updatedAt: times.at(-1),
    messages: transcript.messages,
    usage: sumUsage([transcript.usage, ...spent]),
    ...(warnings.length > 0 ? { warnings: warnings } : {}),
  };
}

function addLine(reading: Reading, line: Json): void {
  const data = record(line.data);
  const timestamp = isoTime(line.timestamp);
  if (line.type === 'session.usage_record') reading.spent.push(plainTokenUsage(record(data.usage)));
  if (line.agentId !== undefined) return;
  const { transcript } = reading;
  switch (line.type) {
    case 'user.message':
      transcript.user((text(data.content) ?? '').trimEnd(), { id: word(data.messageId), timestamp });
      break;
    case 'assistant.message':
      addAnswer(reading, data, timestamp);
      break;
    case 'tool.execution_complete':
      addResult(transcript, data);
      break;
    case 'session.compaction_complete':
      if (data.success === true)
        transcript.note('The conversation so far was summarized.', {
          timestamp,
          usage: plainTokenUsage(record(data.compactionTokensUsed)),
        });
      break;
  }
}

function addAnswer({ transcript, spent }: Reading, data: Json, timestamp: number | undefined): void {
  const facts = {
    id: word(data.messageId),
    timestamp,
    model: word(data.model),
    usage: sumUsage(spent.splice(0)),
  };
  transcript.assistant({ text: text(data.content), thinking: text(data.reasoningText) }, facts);
  for (const call of records(data.toolRequests)) {
    const toolCallId = word(call.toolCallId);
    if (toolCallId)
      transcript.toolCall({ toolCallId, toolName: word(call.name) ?? '', input: call.arguments }, { id: facts.id });
  }
}

/** For Copilot a command succeeds with any exit code; for us it does not, as in a run. */
function addResult(transcript: Transcript, data: Json): void {
  const toolCallId = word(data.toolCallId);
  if (toolCallId === undefined) return;
  const failed = data.success === false || (exitCodeOf(data) ?? 0) !== 0;
  const output = text(record(data.error).message) ?? text(record(data.result).content) ?? '';
  transcript.toolResult(toolCallId, output, failed);
}
