import type { MouseEvent } from 'react';
import { flushSync } from 'react-dom';

type AddGroupButtonProps = { readonly onAdd: () => void; readonly children: string };

/** Adds a group of fields above itself. Its first field gets the focus, because the button is below the window then. */
export function AddGroupButton({ onAdd, children }: AddGroupButtonProps) {
  const add = ({ currentTarget }: MouseEvent<HTMLButtonElement>): void => {
    flushSync(onAdd);
    let newGroup = currentTarget.parentElement?.previousElementSibling;
    while (newGroup && !newGroup.matches('fieldset')) newGroup = newGroup.previousElementSibling;
    newGroup?.querySelector<HTMLElement>('input, select, textarea')?.focus();
  };
  return (
    <p>
      <button type="button" onClick={add}>
        {children}
      </button>
    </p>
  );
}
