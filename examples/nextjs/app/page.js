import { Client } from './client.js';
import { multiply } from './multiply.js';

// Computed for every request, by Node.
export const dynamic = 'force-dynamic';

export default async function Page() {
  return (
    <>
      <p id="server">{await multiply()}</p>
      <Client />
    </>
  );
}
