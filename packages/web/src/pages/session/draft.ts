import { useRef, useState } from 'react';

/** What is written and not sent yet: it survives a reload, and has the id that it will be sent with, so that it is sent once. */
interface Draft {
  id: string;
  text: string;
}

interface DraftOrders {
  write(text: string): void;
  /** Empties the field for the next message; what it held stays kept until it is known to have arrived. */
  take(): Draft;
  arrived(draft: Draft): void;
  /** It was refused: it comes back, before whatever was written meanwhile. */
  giveBack(draft: Draft): void;
}

const PREFIX = 'agent-mux.draft.';

export function useDraft(sessionId: string): [string, DraftOrders] {
  const [draft, setDraft] = useState(() => readDraft(sessionId));
  const current = useRef(draft);
  const set = (next: Draft) => {
    current.current = next;
    setDraft(next);
  };
  const keep = (next: Draft) => {
    set(next);
    if (next.text === '') localStorage.removeItem(PREFIX + sessionId);
    else localStorage.setItem(PREFIX + sessionId, JSON.stringify(next));
  };
  return [
    draft.text,
    {
      write: (text) => keep({ ...current.current, text }),
      take() {
        const taken = current.current;
        set(newDraft());
        return taken;
      },
      arrived({ id }) {
        if (readDraft(sessionId).id === id) localStorage.removeItem(PREFIX + sessionId);
      },
      giveBack(back) {
        const { text } = current.current;
        keep(text === '' ? back : { ...newDraft(), text: `${back.text}\n\n${text}` });
      },
    },
  ];
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
