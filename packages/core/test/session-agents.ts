import { basename } from 'node:path';
import {
  BaseAgentAdapter,
  type ModelCapabilities,
  NO_CAPABILITIES,
  readJsonLines,
  type SessionStore,
  type SpawnArgs,
  sessionDatabase,
  sessionFiles,
  Transcript,
} from '../src/index.ts';

/** An agent that is used only for its sessions. */
export class StoringAdapter extends BaseAgentAdapter {
  readonly agent: string;
  readonly displayName: string;
  readonly cliCommand = 'none';
  override readonly capabilities = { ...NO_CAPABILITIES };
  override readonly sessionStore?: SessionStore;
  override readonly models: readonly ModelCapabilities[] = [
    {
      id: 'priced-1',
      contextWindow: null,
      maxOutputTokens: null,
      supportsThinking: false,
      supportsImageInput: false,
      pricing: { input: 1, output: 10 },
    },
  ];
  constructor(agent: string, store?: SessionStore) {
    super();
    this.agent = agent;
    this.displayName = agent;
    if (store) this.sessionStore = store;
  }
  buildSpawnArgs(): SpawnArgs {
    throw new Error('never run');
  }
  parseEvent(): null {
    return null;
  }
}

/** JSON lines files below `~/.AGENT`: the first line describes the session, the others are messages. */
export function filesOf(agent: string, root = `~/.${agent}`): SessionStore {
  return sessionFiles({
    agent,
    root,
    accepts: (path) => path.endsWith('.jsonl'),
    parse(text, path) {
      const { records, warnings } = readJsonLines(text);
      const [head, ...lines] = records;
      if (head?.kind !== 'session') return null;
      const transcript = new Transcript();
      for (const { user, assistant, model, time, input, output, cost, tool } of lines) {
        const usage =
          typeof input === 'number' && typeof output === 'number'
            ? {
                inputTokens: input,
                outputTokens: output,
                cacheReadTokens: null,
                cacheCreationTokens: null,
                totalTokens: input + output,
              }
            : undefined;
        const facts = {
          timestamp: typeof time === 'number' ? time : undefined,
          model: typeof model === 'string' ? model : undefined,
          usage,
          costUsd: typeof cost === 'number' ? cost : undefined,
        };
        if (typeof user === 'string') transcript.user(user, facts);
        if (typeof assistant === 'string')
          transcript.assistant({ text: assistant }, { id: `m${lines.length}`, ...facts });
        if (typeof tool === 'string') {
          transcript.toolCall({ toolCallId: tool, toolName: tool, input: { tool } });
          transcript.toolResult(tool, `${tool} is done`);
        }
      }
      return {
        sessionId: basename(path, '.jsonl'),
        title: typeof head.title === 'string' ? head.title : undefined,
        cwd: typeof head.cwd === 'string' ? head.cwd : undefined,
        updatedAt: typeof head.updated === 'number' ? head.updated : undefined,
        messages: transcript.messages,
        ...(warnings.length > 0 ? { warnings } : {}),
      };
    },
    belongings: (path) => [path.replace(/\.jsonl$/, '.extra')],
  });
}

/** One SQLite file for all sessions. */
export function databaseOf(agent: string): SessionStore {
  return sessionDatabase({
    agent,
    file: `~/.${agent}/store.db`,
    list: (database) =>
      database
        .prepare('SELECT session, count(*) AS many FROM messages GROUP BY session ORDER BY session')
        .all()
        .map(({ session, many }) => ({ key: String(session), stamp: String(many) })),
    read(database, key) {
      const transcript = new Transcript();
      for (const { text } of database.prepare('SELECT text FROM messages WHERE session = ? ORDER BY rowid').all(key)) {
        transcript.user(String(text));
      }
      return transcript.messages.length === 0 ? null : { sessionId: key, messages: transcript.messages };
    },
  });
}
