import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { HubCommand, HubCommandList } from '../../../contract/hubs/hubs-api.ts';
import { CommandLine } from '../../components/command-line.tsx';
import { EmptyState } from '../../components/empty-state.tsx';
import { useClient } from '../../session/client.ts';
import { QueryContent } from '../query-content.tsx';
import { describeCommand, sampleCommandsFile } from './command-description.ts';

type CommandChoiceProps = {
  readonly hub: string;
  readonly value: string;
  readonly onChoose: (name: string) => void;
};

/** The commands that the operator configured. Only owners of the control plane can connect them; other owners of the hub can read the list. */
export function CommandChoice({ hub, value, onChoose }: CommandChoiceProps) {
  const { hubs } = useClient();
  const query = useQuery({
    queryKey: ['hub-commands', hub],
    queryFn: ({ signal }) => hubs.listCommands(hub, { signal }),
  });
  return (
    <QueryContent query={query}>
      {(commands) =>
        commands.items.length === 0 ? (
          <NoCommands commands={commands} />
        ) : (
          <CommandList commands={commands} value={value} onChoose={onChoose} />
        )
      }
    </QueryContent>
  );
}

type CommandListProps = Pick<CommandChoiceProps, 'value' | 'onChoose'> & { readonly commands: HubCommandList };

function CommandList({ commands: { items, file, may_connect: mayConnect }, value, onChoose }: CommandListProps) {
  const group = useId();
  const isMissing = value !== '' && !items.some(({ name }) => name === value);
  return (
    <fieldset className="group commands">
      <legend>Command</legend>
      {items.map((command) =>
        mayConnect ? (
          <label key={command.name}>
            <input
              type="radio"
              name={group}
              required={!isMissing}
              disabled={command.runs === 'refused'}
              checked={command.name === value}
              onChange={() => onChoose(command.name)}
            />
            <CommandSummary command={command} />
          </label>
        ) : (
          <p key={command.name}>
            <CommandSummary command={command} />
          </p>
        ),
      )}
      {isMissing ? <p className="hint">The command {value} is no longer in the file.</p> : null}
      {file === null ? null : (
        <p className="hint">
          Commands are read from <code>{file}</code> when the control plane starts.
        </p>
      )}
      {mayConnect ? null : <OwnersOnlyHint />}
    </fieldset>
  );
}

function CommandSummary({ command }: { command: HubCommand }) {
  return (
    <span>
      <b>{command.name}</b> {command.description === null ? null : <span>{command.description} </span>}
      <span className="faint">{describeCommand(command)}</span>
    </span>
  );
}

function OwnersOnlyHint() {
  return (
    <p className="hint">Only owners of the control plane can connect commands, because they run on its machine.</p>
  );
}

function NoCommands({ commands: { file, may_connect: mayConnect } }: Pick<CommandListProps, 'commands'>) {
  if (!mayConnect)
    return (
      <EmptyState title="No commands available">
        <OwnersOnlyHint />
      </EmptyState>
    );
  return (
    <EmptyState title="No commands available">
      {file === null ? (
        <p>
          List commands in a file like the one below on the machine of the control plane, and pass the file at the
          start:
        </p>
      ) : (
        <p>
          <code>{file}</code> lists no commands. Add them as shown below. The file is read when the control plane
          starts.
        </p>
      )}
      {file === null ? <CommandLine text="vp serve --hub-commands commands.json" /> : null}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrollable element must be reachable by keyboard */}
      <pre tabIndex={0}>{sampleCommandsFile}</pre>
    </EmptyState>
  );
}
