/**
 * A running command of the operator's file. A container is removed by name in case the end of its process does not
 * remove it.
 */
import { startChildProcess } from '../../../process/child-process.ts';
import type { StartChild } from './child-link.ts';
import type { CommandProcess, ProcessCommand } from './operator-commands.ts';

export function createChildStarter(program: CommandProcess): StartChild {
  return (onOutput, onEnd) => {
    const removed = Promise.withResolvers<void>();
    const { file, args: words, variables, removeCommand: removal } = program;
    const child = startChildProcess(file, words, {
      variables,
      onOutput,
      onExit: (problem) => {
        if (removal) runRemoveCommand(removal).then(removed.resolve, removed.reject);
        else removed.resolve();
        onEnd(problem);
      },
    });
    return { ...child, stop: () => child.stop().then(() => removed.promise) };
  };
}

/** The engine's process may have been killed before it removed the container. A missing container is not an error. */
function runRemoveCommand({ file, args: words, variables }: ProcessCommand): Promise<void> {
  return new Promise((resolve) => {
    startChildProcess(file, words, { variables, onOutput: () => {}, onExit: () => resolve() });
  });
}
