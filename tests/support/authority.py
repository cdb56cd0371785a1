"""A certificate authority for one test, and the certificates it issues."""

import ssl
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID


@dataclass(frozen=True)
class Certificate:
    """A certificate and its key as PEM files."""

    certificate: Path
    key: Path

    def server(self) -> ssl.SSLContext:
        """The TLS settings of a server that shows this certificate."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.certificate, self.key)
        return context


class Authority:
    """A certificate authority that lives for one test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "test authority")])
        builder = self._builder(self._name, self._key.public_key(), days=10)
        builder = builder.add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        usage = x509.KeyUsage(
            digital_signature=True,
            key_cert_sign=True,
            crl_sign=True,
            content_commitment=False,
            key_encipherment=False,
            data_encipherment=False,
            key_agreement=False,
            encipher_only=False,
            decipher_only=False,
        )
        builder = builder.add_extension(usage, critical=True)
        identifier = x509.SubjectKeyIdentifier.from_public_key(self._key.public_key())
        builder = builder.add_extension(identifier, critical=False)  # Python 3.13 and newer insist on it
        self.file = folder / "ca.crt"
        self.file.write_bytes(builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM))

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePublicKey, days: int) -> x509.CertificateBuilder:
        now = datetime.now(UTC)
        start = x509.CertificateBuilder().subject_name(subject).issuer_name(self._name).public_key(key)
        start = start.serial_number(x509.random_serial_number())
        return start.not_valid_before(now - timedelta(days=5)).not_valid_after(now + timedelta(days=days))

    def issue(self, *names: str, days: int = 10) -> Certificate:
        """A certificate for these names and addresses; with negative ``days`` one that has expired."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "leaf")])
        general: list[x509.GeneralName] = [_general_name(name) for name in names]
        builder = self._builder(subject, key.public_key(), days)
        builder = builder.add_extension(x509.SubjectAlternativeName(general), critical=False)
        builder = builder.add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False
        )
        serial = x509.random_serial_number()
        made = Certificate(self._folder / f"{serial:x}.crt", self._folder / f"{serial:x}.key")
        signed = builder.sign(self._key, hashes.SHA256())
        made.certificate.write_bytes(signed.public_bytes(serialization.Encoding.PEM))
        made.key.write_bytes(
            key.private_bytes(
                serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
            )
        )
        return made


def _general_name(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)
