/** Starts `vp lsp` for the Markdown files of a workspace; the server leaves those alone that are no scenarios. */
const { workspace } = require('vscode');
const { LanguageClient } = require('vscode-languageclient/node');

let client;

exports.activate = async () => {
  const settings = workspace.getConfiguration('vp');
  const folder = settings.get('productFolder');
  const args = ['lsp', ...(folder ? ['--product-dir', folder] : [])];
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  const server = { command: settings.get('path') || 'vp', args, options: cwd === undefined ? {} : { cwd } };
  const documentSelector = [{ scheme: 'file', language: 'markdown' }];
  client = new LanguageClient('vp', 'vp scenarios', server, { documentSelector });
  await client.start();
};

exports.deactivate = () => client?.stop();
