import { Dialog } from '../components/dialog.tsx';
import { instancePages } from './instance-pages.ts';

const keyBindings: readonly (readonly [keys: string, text: string])[] = [
  ['ctrl-k', 'go to a run, scenario, view, environment or page (⌘ K on a Mac)'],
  ['/', 'search'],
  ['j k', 'next and previous row'],
  ['enter', 'open the row'],
  ['x', 'on a list: select the row, or take it out'],
  ['shift x', 'select all rows from the one selected before'],
  ['a', 'go to the actions for what is selected; esc clears it'],
  ['v', 'on runs and scenarios: save the filters as a view'],
  ['n p', 'on a run: next and previous run of its scenario'],
  ['r', 'on a run: run again; on the list: choose scenarios to run'],
  ['g o', 'overview'],
  ...instancePages.map(({ key, help }) => [`g ${key}`, help] as const),
  ['g e', 'environments'],
  ['g p', 'people'],
  ['g h', 'the hub'],
  ['?', 'show this help'],
  ['esc', 'close'],
];

export function KeysHelp({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <dl className="keys">
        {keyBindings.map(([keyNames, description]) => (
          <div key={keyNames}>
            <dt>
              {keyNames.split(' ').map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{description}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
