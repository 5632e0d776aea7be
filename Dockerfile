# One image for every app of a cluster; the command names it: `docker run venue apps/gateway/main.ts`.
FROM node:24-slim
ENV NODE_ENV=production
WORKDIR /venue

# The lock alone decides what is installed: no database, no tests, no compiler (which npm would keep, since a library's
# types name it); and no package runs a script.
COPY package.json package-lock.json ./
COPY cluster cluster
COPY packages packages
RUN npm ci --omit=dev --ignore-scripts --no-audit --no-fund && rm -rf node_modules/typescript node_modules/@typescript

COPY apps/process apps/process
COPY apps/runner apps/runner
COPY apps/gateway apps/gateway
COPY apps/auditor apps/auditor
COPY apps/wallet apps/wallet
# The record of a wallet is a volume here, which begins with these rights.
RUN mkdir -m 0777 record

# A node writes nothing: the root may be read-only, and all state is in Postgres.
USER node
ENTRYPOINT ["node", "--min-semi-space-size=32", "--max-semi-space-size=32", "--max-inlined-bytecode-size-cumulative=3000"]
CMD ["apps/runner/main.ts"]
