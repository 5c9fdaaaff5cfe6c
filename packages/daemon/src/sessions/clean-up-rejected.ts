import type { Session } from '@agent-mux/api';
import { isRecord, parseIfJson } from '@agent-mux/core';
import type { DaemonContext } from './daemon-context.ts';

/** Number of lines read at once. */
const PAGE = 5000;

/**
 * The exact text of a message refused by a limit was stored, since it may have to be sent again. Once that is decided,
 * the text is replaced by the redacted text of its event.
 */
export async function cleanUpRejected(
  { store, settings }: Pick<DaemonContext, 'store' | 'settings'>,
  { id, limit, launchSeq, lastSeq }: Pick<Session, 'id' | 'limit' | 'launchSeq' | 'lastSeq'>,
): Promise<void> {
  const { messageId = null, hadOutput = true } = limit ?? {};
  if (messageId === null || hadOutput) return;
  // Its event was not stored.
  if (!settings.storeContent) return void (await store.updateMessage(id, messageId, { text: '' }));
  for (let after = launchSeq - 1; after < lastSeq; ) {
    const page = await store.readEvents(id, after, PAGE);
    for (const line of page.lines) {
      const event = line.includes('"type":"user_message"') ? parseIfJson(line) : undefined;
      if (!isRecord(event) || event.messageId !== messageId || typeof event.text !== 'string') continue;
      await store.updateMessage(id, messageId, { text: event.text });
      return;
    }
    if (page.lines.length === 0) return;
    after = page.lastSeq;
  }
}
