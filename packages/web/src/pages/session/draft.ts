import { useRef, useState } from 'react';
import { keep, readKept } from '../../data/kept.ts';
import { type KeptFile, readFiles } from '../../parts/attachments.logic.ts';

/** What is written and not sent yet: it survives a reload, and has the id that it will be sent with, so that it is sent once. */
interface Draft {
  id: string;
  text: string;
  files: readonly KeptFile[];
}

interface DraftOrders {
  write(text: string): void;
  attach(files: readonly KeptFile[]): void;
  /** Empties the field for the next message; what it held stays kept until it is known to have arrived. */
  take(): Draft;
  arrived(draft: Draft): void;
  /** It was refused: it comes back, before whatever was written meanwhile. */
  giveBack(draft: Draft): void;
}

const PREFIX = 'agent-mux.draft.';

export function useDraft(sessionId: string): [Draft, DraftOrders] {
  const [draft, setDraft] = useState(() => readDraft(sessionId));
  const current = useRef(draft);
  const set = (next: Draft) => {
    current.current = next;
    setDraft(next);
  };
  const keepDraft = (next: Draft) => {
    set(next);
    keep(PREFIX + sessionId, next.text === '' && next.files.length === 0 ? undefined : next);
  };
  return [
    draft,
    {
      // What differs is another message: with the old id it would be taken for the one that may have arrived.
      write: (text) => keepDraft({ ...current.current, id: crypto.randomUUID(), text }),
      attach: (files) => keepDraft({ ...current.current, id: crypto.randomUUID(), files }),
      take() {
        const taken = current.current;
        set(newDraft());
        return taken;
      },
      arrived({ id }) {
        if (readDraft(sessionId).id === id) keep(PREFIX + sessionId, undefined);
      },
      giveBack(back) {
        const { text, files } = current.current;
        const isEmpty = text === '' && files.length === 0;
        keepDraft(
          isEmpty
            ? back
            : {
                ...newDraft(),
                text: text === '' ? back.text : `${back.text}\n\n${text}`,
                files: [...back.files, ...files],
              },
        );
      },
    },
  ];
}

function readDraft(sessionId: string): Draft {
  const kept = readKept(PREFIX + sessionId);
  if (typeof kept !== 'object' || kept === null || !('id' in kept) || !('text' in kept)) return newDraft();
  return { id: String(kept.id), text: String(kept.text), files: readFiles('files' in kept ? kept.files : []) };
}

function newDraft(): Draft {
  return { id: crypto.randomUUID(), text: '', files: [] };
}
