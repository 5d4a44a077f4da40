import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { HubCommand, HubCommands } from '../../contract/hub-api.ts';
import { Command } from '../parts/command.tsx';
import { Empty } from '../parts/empty.tsx';
import { useConnection } from '../session/connection.ts';
import { commandFacts, commandSample } from './command-words.ts';
import { Loaded } from './loaded.tsx';

type CommandChoiceProps = {
  readonly hub: string;
  readonly value: string;
  readonly onChoose: (name: string) => void;
};

/** The operator's programs, one of which is connected by owners of the control plane; other owners of the hub read them. */
export function CommandChoice({ hub, value, onChoose }: CommandChoiceProps) {
  const { hubs } = useConnection();
  const query = useQuery({
    queryKey: ['hub-commands', hub],
    queryFn: ({ signal }) => hubs.commands(hub, { signal }),
  });
  return (
    <Loaded query={query}>
      {(commands) =>
        commands.items.length === 0 ? (
          <NoCommands commands={commands} />
        ) : (
          <Commands commands={commands} value={value} onChoose={onChoose} />
        )
      }
    </Loaded>
  );
}

type CommandsProps = Pick<CommandChoiceProps, 'value' | 'onChoose'> & { readonly commands: HubCommands };

function Commands({ commands: { items, file, may_connect: mayConnect }, value, onChoose }: CommandsProps) {
  const group = useId();
  const isGone = value !== '' && !items.some(({ name }) => name === value);
  return (
    <fieldset className="group commands">
      <legend>Command</legend>
      {items.map((one) =>
        mayConnect ? (
          <label key={one.name}>
            <input
              type="radio"
              name={group}
              required={!isGone}
              disabled={one.runs === 'refused'}
              checked={one.name === value}
              onChange={() => onChoose(one.name)}
            />
            <Told command={one} />
          </label>
        ) : (
          <p key={one.name}>
            <Told command={one} />
          </p>
        ),
      )}
      {isGone ? <p className="hint">{value}, which it runs, is not in the file any more.</p> : null}
      {file === null ? null : (
        <p className="hint">
          Named in <code>{file}</code>, which is read when the control plane starts.
        </p>
      )}
      {mayConnect ? null : <OwnersOnly />}
    </fieldset>
  );
}

function Told({ command }: { command: HubCommand }) {
  return (
    <span>
      <b>{command.name}</b> {command.description === null ? null : <span>{command.description} </span>}
      <span className="faint">{commandFacts(command)}</span>
    </span>
  );
}

function OwnersOnly() {
  return <p className="hint">Owners of the control plane connect them: a program runs on its machine.</p>;
}

/** Where the operator writes them, and how. */
function NoCommands({ commands: { file, may_connect: mayConnect } }: Pick<CommandsProps, 'commands'>) {
  if (!mayConnect)
    return (
      <Empty title="The operator offers no program">
        <OwnersOnly />
      </Empty>
    );
  return (
    <Empty title="The operator offers no program">
      {file === null ? (
        <p>
          Programs are named in a file like the one below, on the machine of the control plane. It is given at the
          start:
        </p>
      ) : (
        <p>
          <code>{file}</code> names none. Name them there as below; it is read when the control plane starts.
        </p>
      )}
      {file === null ? <Command text="vp serve --hub-commands commands.json" /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than the dialog is scrolled by keys too */}
      <pre tabIndex={0}>{commandSample}</pre>
    </Empty>
  );
}
