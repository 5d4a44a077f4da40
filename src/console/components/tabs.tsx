import { type KeyboardEvent, type ReactNode, useId } from 'react';

/** `badge` is displayed after the label. */
export type Tab<N extends string> = { readonly name: N; readonly label: string; readonly badge?: string | undefined };

type TabsProps<N extends string> = {
  readonly label: string;
  readonly tabs: readonly Tab<N>[];
  readonly selected: N;
  readonly onSelect: (name: N) => void;
  readonly children: ReactNode;
};

/** Tabs according to the WAI-ARIA pattern: arrow keys change the tab, and the panel is that of the selected one. */
export function Tabs<N extends string>({ label, tabs, selected, onSelect, children }: TabsProps<N>) {
  const id = useId();
  const onArrowKey = (event: KeyboardEvent<HTMLElement>): void => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const index = tabs.findIndex(({ name }) => name === selected);
    const next = tabs[(index + step + tabs.length) % tabs.length];
    if (!next) return;
    onSelect(next.name);
    document.getElementById(`${id}-${next.name}`)?.focus();
  };
  return (
    <>
      <div role="tablist" aria-label={label} className="tabs" onKeyDown={onArrowKey}>
        {tabs.map(({ name, label: text, badge }) => (
          <button
            key={name}
            id={`${id}-${name}`}
            type="button"
            role="tab"
            aria-selected={name === selected}
            aria-controls={`${id}-panel`}
            tabIndex={name === selected ? 0 : -1}
            onClick={() => onSelect(name)}
          >
            {text}
            {badge === undefined ? null : <span className="note">{badge}</span>}
          </button>
        ))}
      </div>
      <div role="tabpanel" id={`${id}-panel`} aria-labelledby={`${id}-${selected}`} className="tab-panel">
        {children}
      </div>
    </>
  );
}
