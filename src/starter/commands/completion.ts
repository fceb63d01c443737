import { Argument, Command } from 'commander';
import { MODEL_IDS } from '../../api/models/registry.ts';
import { PACKAGE } from '../../package/name.ts';
import type { Answer, Answering } from '../answer.ts';
import { withOwnExamples } from '../with-own-examples.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** The commands whose argument is a model. */
const TAKE_MODELS: ReadonlySet<string> = new Set(['generate', 'models']);
/** The names under which the package installs its program. */
const PROGRAMS = ['darkroom', PACKAGE];

/** `completion <shell>`: a script that completes commands, options and models. */
export function completionCommand(answering: Answering): Command {
  const command = new Command('completion')
    .description('print a script that completes commands, options and models in a shell')
    .addArgument(new Argument('<shell>', 'that reads the script, for the installed program').choices(SHELLS))
    .action(
      answering((shell: Shell): Promise<Answer> => {
        const script = SCRIPTS[shell](command.parent?.commands ?? []);
        return Promise.resolve({ json: { shell, script }, text: script });
      }),
    );
  return withOwnExamples(command, 'completion bash > darkroom-completion.bash');
}

const SCRIPTS: Readonly<Record<Shell, (commands: readonly Command[]) => string>> = {
  bash: (commands) =>
    [
      '_darkroom() {',
      `  local cur="\${COMP_WORDS[COMP_CWORD]}" words=""`,
      `  if [ "$COMP_CWORD" -eq 1 ]; then words="${commands.map((command) => command.name()).join(' ')}"`,
      `  else case "\${COMP_WORDS[1]}" in`,
      ...commands.map((command) => `    ${command.name()}) words="${wordsOf(command).join(' ')}" ;;`),
      '  esac; fi',
      '  COMPREPLY=($(compgen -W "$words" -- "$cur"))',
      '}',
      `complete -o default -F _darkroom ${PROGRAMS.join(' ')}`,
    ].join('\n'),
  zsh: (commands) =>
    [
      `#compdef ${PROGRAMS.join(' ')}`,
      '_darkroom() {',
      '  if (( CURRENT == 2 )); then',
      `    compadd -- ${commands.map((command) => command.name()).join(' ')}`,
      '    return',
      '  fi',
      `  case "\${words[2]}" in`,
      ...commands.map((command) => `    ${command.name()}) compadd -- ${wordsOf(command).join(' ')} ;;`),
      '  esac',
      '  _files',
      '}',
      `compdef _darkroom ${PROGRAMS.join(' ')}`,
    ].join('\n'),
  fish: (commands) =>
    PROGRAMS.flatMap((program) => [
      ...commands.map(
        (command) =>
          `complete -c ${program} -n __fish_use_subcommand -a ${command.name()} -d ${quoted(command.description())}`,
      ),
      ...commands.flatMap((command) =>
        wordsOf(command).map((word) => {
          const what = word.startsWith('--') ? `-l ${word.slice(2)}` : `-a ${word}`;
          return `complete -c ${program} -n '__fish_seen_subcommand_from ${command.name()}' ${what}`;
        }),
      ),
    ]).join('\n'),
};

function wordsOf(command: Command): string[] {
  const options = command.options.flatMap(({ long }) => long ?? []);
  return [...(TAKE_MODELS.has(command.name()) ? MODEL_IDS : []), ...options, '--help'];
}

function quoted(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", String.raw`\'`)}'`;
}
