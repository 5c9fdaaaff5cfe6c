import { FileText, LoaderCircle, Paperclip, X } from 'lucide-react';
import { type ClipboardEvent, type DragEvent, useRef, useState } from 'react';
import { call } from '../data/call.ts';
import { fileNameOf } from './attachments.logic.ts';
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
  add(files: Iterable<File>): void;
  remove(key: string): void;
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

/** Files that go with a message: each is handed in at once, so that sending takes no longer. */
export function useAttachments(accept: '' | 'image/*' | null): Attachments {
  const [files, setFiles] = useState<readonly Attached[]>([]);
  const add = (given: Iterable<File>) => {
    for (const file of given) {
      if (accept === null || (accept === 'image/*' && !file.type.startsWith('image/'))) {
        tellFault(new Error(`the agent cannot take ${file.name || 'this file'}`));
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
    remove: (key) => setFiles((before) => before.filter((each) => each.key !== key)),
    take() {
      setFiles([]);
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

export function idsOf(files: readonly Attached[]): string[] {
  return files.flatMap(({ id }) => (id === null ? [] : [id]));
}

export function AttachmentList({ attachments: { files, remove } }: { attachments: Attachments }) {
  if (files.length === 0) return null;
  return (
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
