import { useState } from 'react';
import { Dialog } from './dialog.tsx';
import { Field } from './field.tsx';

type ConfirmTypedProps = {
  readonly title: string;
  /** What will be lost. */
  readonly loss: string;
  /** To be typed. */
  readonly word: string;
  readonly action: string;
  readonly pending: boolean;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
};

/** Asks for a word to be typed, after saying what will be lost. */
export function ConfirmTyped({ title, loss, word, action, pending, onConfirm, onClose }: ConfirmTypedProps) {
  const [typed, setTyped] = useState('');
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          onConfirm();
        }}
      >
        <p>{loss}</p>
        <Field
          label={`Type ${word} to go on`}
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <footer className="dialog-foot">
          <button type="button" onClick={onClose}>
            Keep it
          </button>
          <button type="submit" className="strong" disabled={typed !== word || pending}>
            {action}
          </button>
        </footer>
      </form>
    </Dialog>
  );
}
