import { CopyButton } from '../components/copy-button.tsx';
import { OneTimeDialog } from '../components/one-time-dialog.tsx';

type SecretDialogProps = {
  readonly title: string;
  readonly secret: string;
  readonly hint: string;
  readonly onClose: () => void;
};

export function SecretDialog({ title, secret, hint, onClose }: SecretDialogProps) {
  return (
    <OneTimeDialog title={title} onClose={onClose}>
      <p>It is shown only once. {hint}</p>
      <p className="secret">
        <code>{secret}</code> <CopyButton text={secret} />
      </p>
    </OneTimeDialog>
  );
}
