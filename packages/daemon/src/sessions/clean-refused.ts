import type { Session } from '@agent-mux/api';
import { isRecord, parseIfJson } from '@agent-mux/core';
import type { Desk } from './desk.ts';

/** So many lines are looked through at once. */
const PAGE = 5000;

/**
 * The message that a limit has refused was kept word for word, since it may have to be sent again. Once that is decided, it is kept as
 * everything else that is stored: as its event has it.
 */
export async function cleanRefused(
  { store, settings }: Pick<Desk, 'store' | 'settings'>,
  { id, limit, launchSeq, lastSeq }: Pick<Session, 'id' | 'limit' | 'launchSeq' | 'lastSeq'>,
): Promise<void> {
  const { messageId = null, showed = true } = limit ?? {};
  if (messageId === null || showed) return;
  // There is no event of it.
  if (!settings.storeActivity) return void (await store.updateMessage(id, messageId, { text: '' }));
  for (let after = launchSeq - 1; after < lastSeq; ) {
    const page = await store.readEvents(id, after, PAGE);
    for (const line of page.lines) {
      const event = line.includes('"type":"user_message"') ? parseIfJson(line) : undefined;
      if (!isRecord(event) || event.messageId !== messageId || typeof event.text !== 'string') continue;
      await store.updateMessage(id, messageId, { text: event.text });
      return;
    }
    if (page.lines.length === 0) return;
    after = page.last;
  }
}
