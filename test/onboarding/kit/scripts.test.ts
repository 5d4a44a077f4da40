/** The two scripts in common shells: they check the shell and run `vp`. */
import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';

const names = ['onboard', 'teardown'] as const;
const defaultPath = '/usr/bin:/bin';

/** A kit with the scripts, and a folder of binaries for PATH. */
function kit(t: Test): { folder: string; programs: string; program(file: string, script: string): void } {
  const folder = t.testdir({ kit: {}, programs: {} });
  cpSync('kit', join(folder, 'kit'), { recursive: true });
  return {
    folder: join(folder, 'kit'),
    programs: join(folder, 'programs'),
    program(file, script) {
      mkdirSync(join(folder, file, '..'), { recursive: true });
      writeFileSync(join(folder, file), `#!/bin/sh\n${script}\n`);
      chmodSync(join(folder, file), 0o755);
    },
  };
}

function run(args: readonly string[], path = defaultPath) {
  const [file = '', ...rest] = args;
  const { status, stdout, stderr } = spawnSync(file, rest, { env: { PATH: path }, encoding: 'utf8' });
  return { status, stdout, stderr };
}

const echoScript = (name: string): string => `case "$1" in --version) ;; *) echo "${name}"; printf '[%s]' "$@";; esac`;

for (const name of names) {
  t.test(`${name}.sh passes every argument on unchanged`, async (t) => {
    const { folder, programs, program } = kit(t);
    program('kit/bin/vp', echoScript('own'));
    program('programs/vp', echoScript('path'));
    const script = join(folder, 'onboarding', `${name}.sh`);
    t.match(run(['bash', script, '--instance-id', 'a b', '', '*'], `${programs}:${defaultPath}`), {
      status: 0,
      stdout: `own\n[${name}][--kit][${folder}][--instance-id][a b][][*]`,
      stderr: '',
    });
    program('kit/bin/vp', 'exit 126');
    t.match(
      run(['bash', script], `${programs}:${defaultPath}`),
      { status: 0, stdout: /^path\n/ },
      'its own is for others',
    );
    program('programs/vp', 'case "$1" in --version) ;; *) exit 3;; esac');
    t.match(run(['bash', script], `${programs}:${defaultPath}`), { status: 3 }, 'the code is the program’s');
  });

  t.test(`${name}.sh without a binary`, async (t) => {
    const { folder } = kit(t);
    t.match(run(['bash', join(folder, 'onboarding', `${name}.sh`)]), {
      status: 4,
      stdout: '',
      stderr:
        /there is no vp binary for this machine \(\w+ \w+\)\. Nothing was changed\.\n[\s\S]*kit\/bin\/vp; then run this again/,
    });
  });

  t.test(`${name}.sh prints the fix under another shell, and under an old bash`, async (t) => {
    const { folder, programs, program } = kit(t);
    program('programs/vp', echoScript('path'));
    const script = join(folder, 'onboarding', `${name}.sh`);
    const path = `${programs}:${defaultPath}`;
    t.match(run(['dash', script], path), {
      status: 4,
      stdout: '',
      stderr:
        /needs bash 4\.4 or newer; this is another shell[\s\S]*brew install bash[\s\S]*"vp \w+ …", which needs no bash/,
    });
    // BASH_VERSION, unlike BASH_VERSINFO, can be set, so that this bash runs the script's head as an old one would.
    const runAsVersion = (version: string) => run(['bash', '-c', `BASH_VERSION='${version}'; . '${script}'`], path);
    for (const unsupported of ['3.2.57(1)-release', '4.0.44(1)-release', '4.3.48(1)-release', '2.05b.0(1)-release']) {
      const { status, stdout, stderr } = runAsVersion(unsupported);
      t.match({ status, stdout }, { status: 4, stdout: '' }, unsupported);
      t.ok(stderr.includes(`this is bash ${unsupported}. Nothing was changed.`), unsupported);
    }
    for (const supported of ['4.4.0(1)-release', '4.10.1', '5.0.17(1)-release', '5.2.15(1)-release', '10.1.0']) {
      t.match(runAsVersion(supported), { status: 0, stdout: /^path/ }, supported);
    }
  });

  t.test(`the head of ${name}.sh is valid in old shells`, async (t) => {
    const text = readFileSync(`kit/onboarding/${name}.sh`, 'utf8');
    const head = text.slice(0, text.indexOf('esac') + 5);
    t.notMatch(head, /\[\[|BASH_VERSINFO|<<|`|\$\(|\bfunction\b/);
    execFileSync('dash', ['-n', '-c', head]);
  });
}

t.test('the two scripts differ only in their name', async (t) => {
  const [onboardScript = '', teardownScript = ''] = names.map((name) =>
    readFileSync(`kit/onboarding/${name}.sh`, 'utf8'),
  );
  const withoutHead = (text: string): string => text.split('\n').slice(2).join('\n');
  t.equal(
    withoutHead(onboardScript).replaceAll('onboard.sh', 'X.sh').replaceAll(' onboard ', ' X '),
    withoutHead(teardownScript).replaceAll('teardown.sh', 'X.sh').replaceAll(' teardown ', ' X '),
  );
});
