import '../styles/attachments.css';
import { FileText, LoaderCircle, Paperclip, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useEffect, useRef, useState } from 'react';
import { CallError, call, request } from '../data/call.ts';
import { type DraftFile, fileNameOf } from './attachments.logic.ts';
import { IconButton } from './primitives.tsx';
import { showErrorToast } from './toasts.tsx';

interface Attached {
  key: string;
  name: string;
  /** Null while the file is uploading. */
  id: string | null;
}

export interface Attachments {
  files: readonly Attached[];
  isBusy: boolean;
  /** Messages about rejected or expired files, until the next change. */
  notices: readonly string[];
  add(files: Iterable<File>): void;
  remove(key: string): void;
  clear(): void;
  /** Removes all files to send them with a message; call `giveBack` if sending fails. */
  take(): readonly Attached[];
  giveBack(files: readonly Attached[]): void;
  /** For the text field (paste) and the drop area. */
  handlers: {
    onPaste(event: ClipboardEvent): void;
    onDragOver(event: DragEvent): void;
    onDrop(event: DragEvent): void;
  };
}

/** Where uploaded files of a draft are stored, so that they survive a reload. */
interface DraftFiles {
  files: readonly DraftFile[];
  onFiles(files: readonly DraftFile[]): void;
}

/** Files to send with a message. Each file is uploaded at once, so that sending is fast. */
export function useAttachments(accept: '' | 'image/*' | null, draft: DraftFiles): Attachments {
  const [files, setFiles] = useState<readonly Attached[]>(() => draft.files.map((file) => ({ ...file, key: file.id })));
  const [notices, setNotices] = useState<readonly string[]>([]);
  const latest = useRef(draft);
  latest.current = draft;
  useEffect(() => {
    const uploaded = files.flatMap(({ id, name }) => (id === null ? [] : [{ id, name }]));
    // Do not overwrite the draft when the set of uploaded files is unchanged.
    if (uploaded.map(({ id }) => id).join() !== latest.current.files.map(({ id }) => id).join())
      latest.current.onFiles(uploaded);
  }, [files]);
  useEffect(() => {
    for (const { id, name } of latest.current.files)
      void isGone(id).then((gone) => {
        if (!gone) return;
        setFiles((before) => before.filter((each) => each.id !== id));
        setNotices((before) => [...before, `${name} has expired on the daemon. Attach it again.`]);
      });
  }, []);
  const add = (added: Iterable<File>) => {
    setNotices([]);
    for (const file of added) {
      if (accept === null || (accept === 'image/*' && !file.type.startsWith('image/'))) {
        setNotices((before) => [...before, `The agent does not accept ${file.name || 'this file'}.`]);
        continue;
      }
      const key = crypto.randomUUID();
      const name = fileNameOf(file.name);
      setFiles((before) => [...before, { key, name, id: null }]);
      call('uploadFile', { query: { name }, body: file }).then(
        ({ id }) => setFiles((before) => before.map((each) => (each.key === key ? { ...each, id } : each))),
        (error: unknown) => {
          setFiles((before) => before.filter((each) => each.key !== key));
          showErrorToast(error);
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

/** Any error other than NOT_FOUND counts as "still there". */
async function isGone(id: string): Promise<boolean> {
  // Only the status is needed: aborting skips the body.
  const probe = new AbortController();
  try {
    await request('downloadFile', { params: { id } }, { signal: probe.signal });
    return false;
  } catch (error) {
    return error instanceof CallError && error.code === 'NOT_FOUND';
  } finally {
    probe.abort();
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
          // Copy the list: clearing the field empties it.
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
