import { useState } from 'react';

/** What is written and not sent yet: it survives a reload, and has the id that it will be sent with, so that it is sent once. */
export interface Draft {
  id: string;
  text: string;
}

const PREFIX = 'agent-mux.draft.';

export function useDraft(sessionId: string): [Draft, (text: string) => void, () => void] {
  const [draft, setDraft] = useState(() => readDraft(sessionId));
  const write = (text: string) => {
    const next = { ...draft, text };
    setDraft(next);
    if (text === '') localStorage.removeItem(PREFIX + sessionId);
    else localStorage.setItem(PREFIX + sessionId, JSON.stringify(next));
  };
  const clear = () => {
    localStorage.removeItem(PREFIX + sessionId);
    setDraft(newDraft());
  };
  return [draft, write, clear];
}

function readDraft(sessionId: string): Draft {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(PREFIX + sessionId) ?? 'null');
    if (typeof kept !== 'object' || kept === null || !('id' in kept) || !('text' in kept)) return newDraft();
    return { id: String(kept.id), text: String(kept.text) };
  } catch {
    return newDraft();
  }
}

function newDraft(): Draft {
  return { id: crypto.randomUUID(), text: '' };
}
