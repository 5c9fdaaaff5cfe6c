import type { ReactNode } from 'react';
import { Button } from './small.tsx';

interface FormActionsProps {
  /** What sending the form does. */
  word: string;
  isDisabled?: boolean;
  onCancel(): void;
  /** Before both. */
  children?: ReactNode;
}

/** The end of a form in a dialog. */
export function FormActions({ word, isDisabled = false, onCancel, children }: FormActionsProps) {
  return (
    <div className="form-actions">
      {children}
      <Button onClick={onCancel}>Cancel</Button>
      <Button look="next" type="submit" disabled={isDisabled}>
        {word}
      </Button>
    </div>
  );
}
