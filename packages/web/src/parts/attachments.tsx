import '../styles/attachments.css';
import { FileText, LoaderCircle, Paperclip, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { CallError, call, request } from '../data/call.ts';
import { fileNameOf, type KeptFile } from './attachments.logic.ts';
import { IconButton } from './small.tsx';
import { tellFault } from './toasts.tsx';

interface Attached {
  key: string;
  name: string;
  /** Null while it is handed in. */
  id: string | null;
}

export interface Attachments {
  files: readonly Attached[];
  isBusy: boolean;
  /** What became of some of them, until something else is done. */
  notices: readonly string[];
  add(files: Iterable<File>): void;
  remove(key: string): void;
  clear(): void;
  /** Takes them away for a message; `giveBack` where it was refused. */
  take(): readonly Attached[];
  giveBack(files: readonly Attached[]): void;
  /** For the field that is pasted into, and what is dropped onto. */
  handlers: {
    onPaste(event: ClipboardEvent): void;
    onDragOver(event: DragEvent): void;
    onDrop(event: DragEvent): void;
  };
}

/** Of what is written: where those that were handed in are kept, so that a reload has them again. */
interface DraftFiles {
  files: readonly KeptFile[];
  onFiles(files: readonly KeptFile[]): void;
}

/** Files that go with a message: each is handed in at once, so that sending takes no longer. */
export function useAttachments(accept: '' | 'image/*' | null, draft: DraftFiles): Attachments {
  const [files, setFiles] = useState<readonly Attached[]>(() => draft.files.map((file) => ({ ...file, key: file.id })));
  const [notices, setNotices] = useState<readonly string[]>([]);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    const handedIn = files.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }]));
    // The same again is no reason to write over what is on its way.
    if (handedIn.map(({ id }) => id).join() !== latest.current.files.map(({ id }) => id).join())
      latest.current.onFiles(handedIn);
  }, [files]);
  useEffect(() => {
    for (const { id, name } of latest.current.files)
      void isGone(id).then((gone) => {
        if (!gone) return;
        setFiles((before) => before.filter((each) => each.id !== id));
        setNotices((before) => [
          ...before,
          `${name} is no longer there: the daemon keeps files for a while. Attach it again.`,
        ]);
      });
  }, []);
  const add = (given: Iterable<File>) => {
    setNotices([]);
    for (const file of given) {
      if (accept === null || (accept === 'image/*' && !file.type.startsWith('image/'))) {
        setNotices((before) => [...before, `The agent cannot take ${file.name || 'this file'}.`]);
        continue;
      }
      const key = crypto.randomUUID();
      const name = fileNameOf(file.name);
      setFiles((before) => [...before, { key, name, id: null }]);
      call('uploadFile', { query: { name }, body: file }).then(
        ({ id }) => setFiles((before) => before.map((each) => (each.key === key ? { ...each, id } : each))),
        (error: unknown) => {
          setFiles((before) => before.filter((each) => each.key !== key));
          tellFault(error);
        },
      );
    }
  };
  return {
    files,
    isBusy: files.some(({ id }) => id === null),
    add,
    notices,
    remove: (key) => setFiles((before) => before.filter((each) => each.key !== key)),
    clear() {
      setFiles([]);
      setNotices([]);
    },
    take() {
      setFiles([]);
      setNotices([]);
      return files;
    },
    giveBack: (back) => setFiles((before) => [...back, ...before]),
    handlers: {
      onPaste(event) {
        const pasted = [...event.clipboardData.files];
        if (pasted.length === 0) return;
        event.preventDefault();
        add(pasted);
      },
      onDragOver(event) {
        if (event.dataTransfer.types.includes('Files')) event.preventDefault();
      },
      onDrop(event) {
        if (event.dataTransfer.files.length === 0) return;
        event.preventDefault();
        add(event.dataTransfer.files);
      },
    },
  };
}

/** Where nobody can say, it is taken for there. */
async function isGone(id: string): Promise<boolean> {
  // Only the head is read: leaving the answer ends it.
  const looking = new AbortController();
  try {
    await request('downloadFile', { params: { id } }, { signal: looking.signal });
    return false;
  } catch (error) {
    return error instanceof CallError && error.code === 'NOT_FOUND';
  } finally {
    looking.abort();
  }
}

export function idsOf(files: readonly Attached[]): string[] {
  return files.flatMap(({ id }) => (id === null ? [] : [id]));
}

export function AttachmentList({ attachments: { files, notices, remove } }: { attachments: Attachments }) {
  return (
    <>
      {files.length === 0 ? null : (
        <ul className="attachments" aria-label="Attachments">
          {files.map(({ key, name, id }) => (
            <li key={key} className="attachment-chip">
              {id === null ? (
                <LoaderCircle className="icon spin" aria-label="Uploading" />
              ) : (
                <FileText className="icon" aria-hidden />
              )}
              <span className="cut">{name}</span>
              <IconButton label={`Remove ${name}`} onClick={() => remove(key)}>
                <X />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {notices.length === 0 ? null : (
        <p className="attachment-notice" role="status">
          {notices.join(' ')}
        </p>
      )}
    </>
  );
}

export function AttachButton({ attachments, accept }: { attachments: Attachments; accept: '' | 'image/*' | null }) {
  const field = useRef<HTMLInputElement>(null);
  if (accept === null) return null;
  return (
    <>
      <input
        ref={field}
        type="file"
        multiple
        hidden
        aria-label="Files to attach"
        accept={accept}
        onChange={({ target }) => {
          // A copy: the list empties with the field.
          attachments.add([...(target.files ?? [])]);
          target.value = '';
        }}
      />
      <IconButton label="Attach files" onClick={() => field.current?.click()}>
        <Paperclip />
      </IconButton>
    </>
  );
}
