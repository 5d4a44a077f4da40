import { Dialog } from '../parts/dialog.tsx';

const keys: readonly (readonly [keys: string, text: string])[] = [
  ['ctrl-k', 'go to a run, scenario, instance or page (⌘ K on a Mac)'],
  ['/', 'search'],
  ['j k', 'next and previous row'],
  ['enter', 'open the row'],
  ['n p', 'on a run: next and previous run of its scenario'],
  ['r', 'on a run: run again; on the list: run…'],
  ['g r', 'runs'],
  ['g s', 'scenarios'],
  ['g e', 'environments'],
  ['g p', 'people'],
  ['g h', 'the hub'],
  ['?', 'this help'],
  ['esc', 'close'],
];

/** The keys, on a sheet. */
export function KeysHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {keys.map(([names, text]) => (
          <div key={names}>
            <dt>
              {names.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
