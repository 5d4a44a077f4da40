import { command } from '../command-line/command.ts';
import { completionScript } from '../command-line/completion-script.ts';
import { exitCode } from '../errors/exit-code.ts';
import { catalogue } from './catalogue.ts';

const preludes: Readonly<Record<string, string>> = {
  bash: '# Completion of vp for bash. In ~/.bashrc: source <(vp completion bash)\n',
  zsh: '# Completion of vp for zsh. In ~/.zshrc: source <(vp completion zsh)\nautoload -U +X bashcompinit && bashcompinit\n',
};

/** `vp completion`. */
export const completionCommand = command({
  name: 'completion',
  summary: 'print a script that completes vp in your shell',
  positionals: [{ name: 'shell', describe: 'bash or zsh', required: true }],
  flags: {},
  examples: [['source <(vp completion bash)', 'complete in this shell; in ~/.bashrc for every shell']],
  async run({ args: [shell = ''], json, environment }) {
    const prelude = preludes[shell];
    if (prelude === undefined) {
      const { vpError } = await import('../errors/vp-error.ts');
      throw vpError('COMMAND_WORD_UNEXPECTED', { command: 'vp completion', word: shell });
    }
    const commands = await Promise.all(catalogue.map((entry) => entry.load()));
    const script = `${prelude}${completionScript(catalogue, commands)}`;
    environment.streams.stdout.write(json ? `${JSON.stringify({ script })}\n` : script);
    return exitCode.done;
  },
});
