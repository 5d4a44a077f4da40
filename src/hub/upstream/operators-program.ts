/** A command of the operator's file while it runs. A container is removed by its name when its program's end does not end it. */
import { type ChildProgram, startProgram } from '../../process/child-program.ts';
import type { StartChild } from './child-transport.ts';
import type { ProgramWords, StartedProgram } from './operator-commands.ts';

/** How it is started. */
export function startOf(program: StartedProgram): StartChild {
  return (onOutput, onEnd) => {
    const gone = Promise.withResolvers<void>();
    const { file, words, variables, removal } = program;
    const child = startProgram(file, words, {
      variables,
      onOutput,
      onEnd: (problem) => {
        if (removal) removed(removal).then(gone.resolve, gone.reject);
        else gone.resolve();
        onEnd(problem);
      },
    });
    return { ...parts(child), end: () => child.end().then(() => gone.promise) };
  };
}

function parts({ pid, write }: ChildProgram): Pick<ChildProgram, 'pid' | 'write'> {
  return { pid, write };
}

/** The engine's own program may have been ended before it could end the container. Nothing is wrong where there is none any more. */
function removed({ file, words, variables }: ProgramWords): Promise<void> {
  return new Promise((resolve) => {
    startProgram(file, words, { variables, onOutput: () => {}, onEnd: () => resolve() });
  });
}
