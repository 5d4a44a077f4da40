import { exitCode } from '../errors/exit-code.ts';
import { scenarioGuide } from '../scenario/guide.ts';
import { command } from './command.ts';

/** `vp guide`: the scenario language, from the parser's own tables. */
export const guideCommand = command({
  name: 'guide',
  summary: 'explain how a scenario is written, with an example',
  positionals: [],
  flags: {},
  examples: [['vp guide', 'every section, check and placeholder']],
  async run({ json, environment }) {
    const guide = scenarioGuide();
    environment.streams.stdout.write(
      json ? `${JSON.stringify({ guide })}\n` : guide.endsWith('\n') ? guide : `${guide}\n`,
    );
    return exitCode.done;
  },
});
