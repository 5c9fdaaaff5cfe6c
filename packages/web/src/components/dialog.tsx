import { X } from 'lucide-react';
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { IconButton } from './primitives.tsx';

interface DialogProps {
  title: string;
  /** Shows the title to screen readers only. */
  hideTitle?: boolean;
  size?: 'small' | 'medium' | 'large';
  onClose(): void;
  children: ReactNode;
}

/** The native dialog element: it traps focus, restores it on close, and closes on Escape. */
export function Dialog({ title, hideTitle = false, size = 'medium', onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    dialog?.showModal();
    // By default the browser focuses the close button.
    dialog?.querySelector<HTMLElement>('input, textarea, select')?.focus();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes the dialog, as does a click on the backdrop.
    <dialog
      ref={element}
      className="dialog"
      data-size={size}
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onClick={(event) => {
        if (event.target === element.current) onClose();
      }}
    >
      <div className="dialog-body">
        <header className={hideTitle ? 'hidden-text' : 'dialog-head'}>
          <h2 id={titleId}>{title}</h2>
          {hideTitle ? null : (
            <IconButton label="Close" onClick={onClose}>
              <X />
            </IconButton>
          )}
        </header>
        {children}
      </div>
    </dialog>
  );
}
