import { type SessionContent, sessionFiles, Transcript } from '@agent-mux/core';
import { type DemoSession, parseDemoSession } from './session-store.ts';

export const SESSION_STORE = sessionFiles({
  agent: 'demo',
  root: '{XDG_STATE_HOME:-~/.local/state}/agent-mux/demo',
  accepts: (path) => /^[A-Za-z0-9-]+\.json$/.test(path),
  parse(text) {
    const session = parseDemoSession(text);
    return session ? contentOf(session) : null;
  },
});

function contentOf(session: DemoSession): SessionContent {
  const { inputTokens, outputTokens } = session;
  const transcript = new Transcript();
  for (const { role, text, timestamp, toolCallId, toolName } of session.messages) {
    if (role === 'user') transcript.user(text, { timestamp });
    else if (role === 'assistant') transcript.assistant({ text }, { timestamp });
    else if (toolCallId !== undefined) {
      transcript.toolCall({ toolCallId, toolName: toolName ?? '', input: null }, { timestamp });
      transcript.toolResult(toolCallId, text);
    }
  }
  return {
    sessionId: session.id,
    title: session.messages.find(({ role }) => role === 'user')?.text.slice(0, 80),
    cwd: session.cwd,
    model: session.model,
    createdAt: session.createdAt,
    updatedAt: session.updatedAt,
    parentSessionId: session.parentId,
    messages: transcript.messages,
    usage: {
      inputTokens,
      outputTokens,
      cacheReadTokens: null,
      cacheCreationTokens: null,
      totalTokens: inputTokens + outputTokens,
    },
    costUsd: session.costUsd,
  };
}
