import { useRef, useState } from 'react';
import { type DraftFile, readFiles } from '../../components/attachments.logic.ts';
import { readStored, writeStored } from '../../data/local-storage.ts';

/** An unsent message. It survives a reload and already has the id to send it with, so that it is sent only once. */
interface Draft {
  id: string;
  text: string;
  files: readonly DraftFile[];
}

interface DraftActions {
  write(text: string): void;
  attach(files: readonly DraftFile[]): void;
  /** Empties the field for the next message. The draft stays stored until `markSent`. */
  take(): Draft;
  markSent(draft: Draft): void;
  /** Restores a draft that could not be sent, before any text written meanwhile. */
  giveBack(draft: Draft): void;
}

const PREFIX = 'agent-mux.draft.';

export function useDraft(sessionId: string): [Draft, DraftActions] {
  const [draft, setDraft] = useState(() => readDraft(sessionId));
  const current = useRef(draft);
  const set = (next: Draft) => {
    current.current = next;
    setDraft(next);
  };
  const saveDraft = (next: Draft) => {
    set(next);
    writeStored(PREFIX + sessionId, next.text === '' && next.files.length === 0 ? undefined : next);
  };
  return [
    draft,
    {
      // Changed text needs a new id: with the old one the daemon would treat it as the message that may have arrived.
      write: (text) => saveDraft({ ...current.current, id: crypto.randomUUID(), text }),
      attach: (files) => saveDraft({ ...current.current, id: crypto.randomUUID(), files }),
      take() {
        const draftToSend = current.current;
        set(newDraft());
        return draftToSend;
      },
      markSent({ id }) {
        if (readDraft(sessionId).id === id) writeStored(PREFIX + sessionId, undefined);
      },
      giveBack(back) {
        const { text, files } = current.current;
        const isEmpty = text === '' && files.length === 0;
        saveDraft(
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
  const stored = readStored(PREFIX + sessionId);
  if (typeof stored !== 'object' || stored === null || !('id' in stored) || !('text' in stored)) return newDraft();
  return { id: String(stored.id), text: String(stored.text), files: readFiles('files' in stored ? stored.files : []) };
}

function newDraft(): Draft {
  return { id: crypto.randomUUID(), text: '', files: [] };
}
